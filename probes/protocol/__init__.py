"""What the doctor and its workers say to each other: one dataclass for each question, one for each kind of answer.

Standard library only. The worker imports it as a part of `probes`; the doctor loads it from its file
(`xladoctor.protocol`), so that a `probes` package of the user's can never be taken for it.
"""
