"""What the tools do; each is a function of the call and its arguments, whose docstring the model reads."""
