"""What pages of every kind need: answers, guards, workers, fields of forms, the texts of stories.

A request passes, in this order: the body limit, a slot (``guards.SlotMiddleware``), the decoded form, the
CSRF check, the view. A view that computes runs in a worker process (``page_workers``); the web process
only hands over and waits, so that one slow page cannot hold up the sockets of all visitors.
"""
