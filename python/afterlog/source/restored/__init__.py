"""Which logged values follow from what is restored, and from code that can only compute."""
