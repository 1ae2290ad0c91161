"""What all kinds of pages need: responses, guards, workers, form fields, the texts of stories.

A request passes, in this order: the body limit, a slot (``guards.SlotMiddleware``), the decoded form, the
CSRF check, the view. A view that computes runs in a worker process (``page_workers``); the web process only
passes the request on and waits, so that one slow page cannot hold up the sockets of all visitors.
"""
