"""The service under test: gateway, intent router, policy lookup, tools, composer, tickets."""
