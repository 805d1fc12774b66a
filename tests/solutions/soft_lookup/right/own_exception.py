"""torch, with an exception derived from ValueError and the check in a decorator."""

import functools

import torch


class BadTemperature(ValueError):
    pass


def positive_temperature(function):
    @functools.wraps(function)
    def checked(query, keys, values, temperature=1.0):
        if temperature <= 0:
            raise BadTemperature(temperature)
        return function(query, keys, values, temperature)

    return checked


@positive_temperature
def soft_lookup(query, keys, values, temperature):
    scores = (query.unsqueeze(-2) * keys.unsqueeze(-3)).sum(dim=-1) / temperature
    return (scores.softmax(dim=-1).unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)
