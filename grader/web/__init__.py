"""``attncheck serve``: the course as web pages. No logic of quiz or grading; needs the extra ``web``."""
