"""What is looked at in a scenario pack before anybody is judged by it."""
