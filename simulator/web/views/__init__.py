"""Views, thin: a form, then a service or a selector, then a page, a fragment or a redirect."""
