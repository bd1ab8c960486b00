"""Adam (Kingma and Ba 2015) over torch's fused kernel: torch's own class would load its compiler, for seconds."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.optim.adam import adam

MOMENTS = ("step", "exp_avg", "exp_avg_sq")


class Adam:
    """Moves the parameters of a network along their gradients."""

    def __init__(self, parameters: Iterable[tuple[str, nn.Parameter]]) -> None:
        self.parameters = dict(parameters)
        self.moments = {
            name: {"step": torch.zeros(()), "exp_avg": torch.zeros_like(value), "exp_avg_sq": torch.zeros_like(value)}
            for name, value in self.parameters.items()
        }

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Take a step of size `rate` downhill, and forget the gradients."""
        moved = {name: value for name, value in self.parameters.items() if value.grad is not None}
        steps, means, squares = ([self.moments[name][moment] for name in moved] for moment in MOMENTS)
        adam(
            list(moved.values()), [_gradient(value) for value in moved.values()], means, squares, [], steps,
            fused=True, amsgrad=False, beta1=0.9, beta2=0.999, lr=rate, weight_decay=0.0, eps=1e-8, maximize=False,
        )  # fmt: skip
        for value in moved.values():
            value.grad = None

    def state(self) -> dict[str, Tensor]:
        """The moments, by parameter."""
        return {
            f"{name}.{moment}": value for name, moments in self.moments.items() for moment, value in moments.items()
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        self.moments = {name: {moment: state[f"{name}.{moment}"] for moment in MOMENTS} for name in self.parameters}


def _gradient(value: nn.Parameter) -> Tensor:
    assert value.grad is not None
    return value.grad
