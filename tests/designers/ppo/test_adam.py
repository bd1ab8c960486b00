"""Our Adam takes the same steps as torch's."""

import torch

from metasmith.designers.ppo.adam import Adam


def test_steps_are_those_of_torch():
    torch.manual_seed(0)
    ours, theirs = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    theirs.load_state_dict(ours.state_dict())
    mine, reference = Adam(ours.named_parameters()), torch.optim.Adam(theirs.parameters(), fused=True)
    for k in range(1, 6):
        x = torch.randn(4, 3)
        for network in (ours, theirs):
            network(x).square().sum().backward()
        for group in reference.param_groups:
            group["lr"] = 0.1 / k
        mine.step(0.1 / k)
        reference.step()
        reference.zero_grad()
        assert all(torch.equal(one, other) for one, other in zip(ours.parameters(), theirs.parameters(), strict=True))


def test_a_restored_one_goes_on_alike():
    torch.manual_seed(0)
    first, second = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    one, other = Adam(first.named_parameters()), Adam(second.named_parameters())
    first(torch.ones(3)).sum().backward()
    one.step(0.1)
    second.load_state_dict(first.state_dict())
    other.restore({name: value.clone() for name, value in one.state().items()})
    for network, optimiser in ((first, one), (second, other)):
        network(torch.ones(3)).square().sum().backward()
        optimiser.step(0.1)
    assert torch.equal(first.weight, second.weight)
