"""What pages of every kind need: answers, guards, workers, fields of forms, the texts of stories."""
