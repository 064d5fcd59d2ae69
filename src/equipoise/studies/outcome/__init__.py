"""The outcome study: coding agents judged by hidden tests that were proved beforehand."""
