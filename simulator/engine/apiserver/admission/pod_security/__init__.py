"""PodSecurity admission: the Pod Security Standards, applied to pods by labels of their namespace."""
