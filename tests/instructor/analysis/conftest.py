"""The course that pages about a class are shown with."""

from tests.report.conftest import course as course
