"""When checkpoints are taken: the policies on measured times."""

import math
import os
import random
import socket
import tempfile
import time
import unittest
from types import SimpleNamespace
from typing import Any, Dict, List, NamedTuple, Tuple

from afterlog.materialize.ledger import BlockFacts, Cost, Ledger, StateFacts
from afterlog.materialize.policies import (
    StepFrequency,
    StepTimes,
    checkpoint_interval,
    is_worth_jumping_to,
    is_worth_restoring,
    should_checkpoint,
)
from afterlog.record.checkpoints.loop_checkpoints import LoopCheckpoints
from afterlog.record.checkpoints.restore_rates import RestoreRates
from afterlog.record.checkpoints.step_policy import StepPolicy
from afterlog.record.loops.iteration_batch import batch_size
from afterlog.store.rates import RateKey, RestoreRate, note_restore


class JointInvariant(unittest.TestCase):
    def test_overhead_stays_below_the_share(self) -> None:
        for materialize_ms in (0.1, 1.0, 5.0, 50.0):
            taken = 0
            for execution in range(1, 1001):
                if should_checkpoint(100.0, materialize_ms, execution, taken, 0.0667):
                    taken += 1
            self.assertLessEqual(taken * materialize_ms, 0.0667 * 1000 * 100.0)

    def test_restoring_is_worth_it(self) -> None:
        # Materializing and restoring together take less than computing: Flor's c of 1.38.
        self.assertTrue(should_checkpoint(100.0, 41.0, 1, 0, 1.0, 1.38))
        self.assertFalse(should_checkpoint(100.0, 43.0, 1, 0, 1.0, 1.38))
        self.assertTrue(is_worth_restoring(100.0, 41.0, 1.38))
        self.assertFalse(is_worth_restoring(100.0, 43.0, 1.38))

    def test_what_restoring_was_measured_to_take_decides(self) -> None:
        # Within the budget each of them is paid for; restoring takes 30 times what blocks.
        def taken(restore_factor: float) -> List[int]:
            executions: List[int] = []
            ledger = Ledger(0.0667, restore_factor)
            for execution in range(1, 9):
                block = BlockFacts(100, execution, len(executions), lambda: 1e9)
                if ledger.allows(block, StateFacts(4, 1, 0)):
                    executions.append(execution)
            return executions

        self.assertEqual(taken(1.0), [1, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(taken(30.0), [2, 4, 5, 7, 8])

    def test_c_is_kept_for_each_program_on_each_host(self) -> None:
        with tempfile.TemporaryDirectory() as store:
            here = socket.gethostname()
            rates = RestoreRates(store, "train.py", store, False)
            self.assertEqual(rates.factor, 1.0)
            key = RateKey("train.py", here)
            note_restore(store, key, RestoreRate("end", 90.0, 3.0))
            self.assertEqual(rates.factor, 30.0)
            self.assertEqual(RestoreRates(store, "eval.py", store, False).factor, 1.0)
            # What was really put back counts before samples.
            rates.restored({"times": {"capture": 1.0, "snapshot": 1.0, "wait": 0.0}}, 10.0)
            self.assertEqual(rates.factor, 5.0)
            for _ in range(300):
                note_restore(store, key, RestoreRate("replay", 4.0, 2.0))
            self.assertEqual(rates.factor, 2.0)
            (name,) = os.listdir(os.path.join(store, "rates"))
            with open(os.path.join(store, "rates", name), "a") as stream:
                stream.write('not JSON\n{"from":"replay"')
            self.assertEqual(rates.factor, 2.0)


class EndsOfIterations(unittest.TestCase):
    def test_where_loops_can_be_skipped_few_are_wanted(self) -> None:
        # Epochs of 100 ms, of which a loop takes 95 that can be skipped, and of which it takes 10.
        for skippable_ms, expected in ((95, 4), (10, 33)):
            taken, unskipped_ms, since_ms = 0, 0, 0
            for _ in range(100):
                unskipped_ms, since_ms = unskipped_ms + 100 - skippable_ms, since_ms + 100
                if is_worth_jumping_to(unskipped_ms, since_ms):
                    taken, unskipped_ms, since_ms = taken + 1, 0, 0
            self.assertEqual(taken, expected, f"{skippable_ms} ms of 100 are skippable")

    def test_long_iterations_have_one_each(self) -> None:
        self.assertTrue(is_worth_jumping_to(10, 5000))
        # Where the budget does not pay for both, ends of loops come first.
        self.assertFalse(is_worth_jumping_to(10, 5000, is_scarce=True))
        self.assertTrue(is_worth_jumping_to(10, 11_000, is_scarce=True))


class Interval(unittest.TestCase):
    def test_spreads_what_a_checkpoint_blocks(self) -> None:
        self.assertEqual(checkpoint_interval(StepTimes(100, 10, 50), 0.05), 2)
        self.assertEqual(checkpoint_interval(StepTimes(100, 1, 950), 0.05), 10)
        self.assertEqual(checkpoint_interval(StepTimes(100, 1, 950), math.inf), 1)
        self.assertEqual(checkpoint_interval(StepTimes(0, 1, 1), 0.05), math.inf)

    def test_is_found_out_first(self) -> None:
        frequency = StepFrequency(0.05, 1000, None)
        for _ in range(9):
            frequency.iteration(100)
        self.assertIsNone(frequency.interval(5))
        frequency.iteration(100)
        self.assertEqual(frequency.interval(5), 3)
        # What the persist takes the processor is paid of the same budget.
        self.assertEqual(frequency.interval(5, lambda blocked_ms: blocked_ms + 60), 13)
        known = StepFrequency(0.05, 1000, StepTimes(100, 200, 50))
        self.assertEqual(known.interval(5), 40)

    def test_is_looked_at_again_when_it_is_due_or_may_have_changed(self) -> None:
        # After how many iterations of so many ms, with so many left until the next checkpoint.
        table = [(1, 100, 25), (1, 10, 10), (1, 0, 25), (0.1, -3, 250), (100, 7, 1), (100, 0, 1)]
        for iteration_ms, left, expected in table:
            frequency = StepFrequency(0.05, 1000, StepTimes(iteration_ms, 1, 1))
            self.assertEqual(frequency.next_look(left), expected, (iteration_ms, left))
        self.assertEqual(StepFrequency(math.inf, 1000, None).next_look(0), 1)


class StepsOfLongIterations(unittest.TestCase):
    def test_ends_are_wanted_while_steps_fit_between_them(self) -> None:
        parts: Any = SimpleNamespace(
            ledger=SimpleNamespace(budget=0.05, in_all_ms=float, running_share=1.0),
            materializer=SimpleNamespace(is_persisting=False),
            recorder=SimpleNamespace(profile=lambda line: None),
        )
        policy = StepPolicy(parts, lambda: 50.0, lambda: 500.0, {"step": StepTimes(100, 50, 1)})
        epoch, step = _frame("epoch", None), _frame("step", _frame("epoch", None))
        epoch.clock = _clock(9000)
        self.assertIsNone(policy.end_allowance(epoch))
        step.index = 90
        self.assertTrue(policy.due(step, 100))
        self.assertEqual(policy.end_allowance(epoch), 500)
        # The first epoch compiled something; those after it are over before a step is due.
        epoch.clock = _clock(900)
        self.assertIsNone(policy.end_allowance(epoch))
        # One that is being persisted is not waited for: the next iteration can do it, too.
        step.checkpoints = LoopCheckpoints()
        parts.materializer.is_persisting = True
        self.assertFalse(policy.due(step, 100))


def _clock(ms: float) -> Any:
    return SimpleNamespace(body_ms=ms, body_at=time.perf_counter() - ms / 1000)


def _frame(block: str, parent: Any, length: int = 100) -> Any:
    return SimpleNamespace(
        block=block,
        parent=parent,
        index=0,
        length=length,
        depth=0 if parent is None else 1,
        clock=_clock(0),
        entries={},
        checkpoints=LoopCheckpoints(),
    )


class Work(NamedTuple):
    steps: int
    step_ms: float
    snapshot_ms: float
    persist_ms: float
    # Processor time of a persist.
    beside_ms: float
    # Algorithm 1's interval for all that a checkpoint costs.
    interval: int = 0
    epochs: int = 4
    # What it blocks longer after each step, until the state is `full` steps old.
    grown_ms: float = 0
    full: int = 0


class CountedTraining:
    """Trains with the real policy and the real ledger on a clock that is only counted; no step is
    taken while another is on its way."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.ledger = Ledger(BUDGET)
        self.now_ms = self.idle_at_ms = 0.0
        self.steps = 0
        # When a state was durable, and how many steps it holds.
        self.durable = [(0.0, 0)]
        self.interval = 0.0
        parts: Any = SimpleNamespace(
            ledger=self.ledger, materializer=self, recorder=SimpleNamespace(profile=self.note)
        )
        left_ms = lambda: self.ledger.left_ms(self.now_ms)
        self.policy = StepPolicy(parts, self.expected_ms, left_ms, {})

    @property
    def is_persisting(self) -> bool:
        return self.idle_at_ms > self.now_ms

    def expected_ms(self) -> float:
        return self.ledger.expected_ms(StateFacts(int(self.work.snapshot_ms), 1, 0))

    def note(self, line: Dict[str, Any]) -> None:
        self.interval = line["interval"]

    def take(self, frame: Any) -> None:
        work = self.work
        snapshot_ms = work.snapshot_ms + work.grown_ms * min(self.steps, work.full)
        self.now_ms += snapshot_ms
        self.ledger.charge(Cost(0, snapshot_ms, 0))
        self.ledger.beside_ms += work.beside_ms
        self.idle_at_ms = max(self.idle_at_ms, self.now_ms) + work.persist_ms
        self.durable.append((self.idle_at_ms, self.steps))
        self.policy.persisted(work.persist_ms)
        frame.checkpoints.last_end = frame.index
        self.policy.taken(frame, snapshot_ms)

    def run(self) -> List[Tuple[float, float]]:
        """When each step ended, and the interval that was written last."""
        epoch, ended = _frame("epoch", None), []
        for epoch.index in range(self.work.epochs):
            step = _frame("epoch/step", epoch, self.work.steps)
            epoch.clock = _clock(0)
            for step.index in range(self.work.steps):
                self.now_ms += self.work.step_ms
                self.steps += 1
                due = self.policy.due(step, self.work.step_ms)
                ended.append((self.now_ms, self.interval))
                if due:
                    self.take(step)
            epoch.clock.body_ms = self.work.steps * self.work.step_ms
            if self.policy.end_allowance(epoch) is not None:
                self.take(epoch)
        return ended


BUDGET, KILLS = 0.035, 200


class TwoIntervals(unittest.TestCase):
    """CheckFreq §6.2.2: whenever a training is killed, at most two intervals are lost."""

    def test_at_three_and_a_half_percent(self) -> None:
        table = {
            "each step": Work(400, 700, 5, 60, 8, 1),
            "64 MB": Work(600, 50, 7.8, 80, 60, 39),
            "16 MB": Work(800, 25, 2.5, 20, 15, 20),
            "a slow disk": Work(500, 100, 10, 3000, 20, 30),
            "short epochs": Work(90, 10, 0.1, 4, 0.5, 25),
        }
        for name, work in table.items():
            with self.subTest(name):
                training = CountedTraining(work)
                ended = training.run()
                draws, first_ms = random.Random(3), training.durable[1][0]
                for _ in range(KILLS):
                    at_ms = draws.uniform(first_ms, ended[-1][0])
                    before = [interval for end, interval in ended if end <= at_ms]
                    newest = max(steps for when, steps in training.durable if when <= at_ms)
                    bound = 2 * math.ceil(1.1 * max(before))
                    self.assertLessEqual(len(before) - newest, bound)
                # In the first epochs it is found out what everything takes; the ends of epochs,
                # which steps are reached by, are paid of the same budget.
                later = [interval for _, interval in ended[2 * work.steps :]]
                self.assertGreaterEqual(min(later), work.interval)
                self.assertLessEqual(max(later), 2 * work.interval)
                share = training.ledger.spent_ms / (work.step_ms * training.steps)
                self.assertLessEqual(share, 1.1 * BUDGET)

    def test_a_state_that_comes_to_block_as_long_as_an_epoch_lasts(self) -> None:
        for grown_ms, full in ((0.5, 1000), (10, 100)):
            with self.subTest(grown_ms=grown_ms):
                work = Work(20, 25, 0.1, 5, 1, epochs=400, grown_ms=grown_ms, full=full)
                training = CountedTraining(work)
                training.run()
                share = training.ledger.spent_ms / (work.step_ms * training.steps)
                self.assertLessEqual(share, 1.1 * BUDGET)

    def test_a_run_that_goes_on_takes_the_end_of_the_iteration_that_it_was_resumed_in(self) -> None:
        parts: Any = SimpleNamespace(
            ledger=SimpleNamespace(budget=BUDGET, in_all_ms=float, running_share=1.0),
            materializer=SimpleNamespace(is_persisting=False),
            recorder=SimpleNamespace(profile=lambda line: None),
        )
        before = {"run/epoch/step": StepTimes(40, 3, 20)}
        policy = StepPolicy(parts, lambda: 3.0, lambda: 40.0, before)
        epoch = _frame("run/epoch", None)
        epoch.clock = _clock(0.5)
        self.assertIsNone(policy.end_allowance(epoch))
        epoch.checkpoints.is_gone_on = True
        self.assertEqual(policy.end_allowance(epoch), 40)
        self.assertIsNone(policy.end_allowance(_frame("run", None)))


class Passing(unittest.TestCase):
    def test_how_many_iterations_go_by(self) -> None:
        # The last one took so long, those before so long on average; so many.
        table = [
            (0.00001, 0, 16_384), (0.0001, 0, 16_384), (0.001, 0, 2048), (0.01, 0, 1600),
            (0.1, 0, 160), (0.1, 0.01, 1600), (1, 0, 16), (8, 0, 2), (8, 1, 16), (8.1, 0, 0),
            (8.1, 0.1, 0), (1, 5, 3), (1, 20, 0),
        ]  # fmt: skip
        for last_ms, mean_ms, expected in table:
            self.assertEqual(batch_size(last_ms, mean_ms), expected, (last_ms, mean_ms))


class Budget(unittest.TestCase):
    def test_what_is_measured_around_something_booked_is_booked_once(self) -> None:
        ledger = Ledger(0.05)
        outer = ledger.booked_ms
        ledger.book(2, ledger.booked_ms)
        ledger.capture_ms += 5
        ledger.booked_ms += 5
        ledger.book(10, outer)
        self.assertEqual((ledger.other_ms, ledger.spent_ms), (5, 10))
        # Clocks are read one after the other: a sum may be a little larger than the whole.
        ledger.book(1, ledger.booked_ms - 3)
        self.assertEqual((ledger.other_ms, ledger.spent_ms), (5, 10))

    def test_no_checkpoint_beyond_it(self) -> None:
        ledger = Ledger(0.05)
        state = StateFacts(1000, 1e6, 0.1)
        block = lambda n, taken, ms: BlockFacts(100, n, taken, lambda: ledger.left_ms(ms))
        self.assertFalse(ledger.allows(block(1, 0, 1), state))
        self.assertTrue(ledger.allows(block(1, 0, 100), state))
        ledger.charge(Cost(1, 2, 3))
        self.assertFalse(ledger.allows(block(2, 1, 200), state))
        self.assertTrue(ledger.allows(block(4, 1, 400), state))
        self.assertTrue(Ledger(math.inf).allows(BlockFacts(0, 1, 0, lambda: 0), state))

    def test_what_was_spent_before_a_loop_is_paid_while_it_goes_on(self) -> None:
        ledger = Ledger(0.1)
        ledger.other_ms = 100
        self.assertAlmostEqual(ledger.left_ms(600), 50 - 100)
        ledger.enter_outermost()
        # A loop that does not tell how long it is pays at once.
        self.assertAlmostEqual(ledger.left_ms(600), 50 - 100)
        for share, paid in ((0.0, 0), (0.05, 5), (0.5, 50), (1.0, 100), (1.2, 100)):
            ledger.progress(share)
            self.assertAlmostEqual(ledger.left_ms(600), 50 - paid)
        # What is spent in the loop is paid at once.
        ledger.progress(0.0)
        ledger.other_ms += 30
        self.assertAlmostEqual(ledger.left_ms(630), 50 - 30)

    def test_one_that_was_interrupted_does_not_stand_for_the_next(self) -> None:
        ledger = Ledger(0.1)
        for capture_ms in (2, 3, 90):
            ledger.charge(Cost(capture_ms))
        state = StateFacts(0, 1, 0)
        self.assertEqual(ledger.expected_ms(state), 3)
        # By the clock; the budget is of the processor's time.
        for share, allowed in ((1.0, False), (0.5, True)):
            ledger.running_share = share
            self.assertEqual(ledger.allows(BlockFacts(1000, 1, 0, lambda: 2), state), allowed)

    def test_an_iteration_that_is_to_come_pays_for_its_end(self) -> None:
        ledger = Ledger(0.1)
        ledger.charge(Cost(0, 10, 0))
        state = StateFacts(1000, 1e6, 0.1)
        for is_coming, left_ms, allowed in (
            (False, 0, False), (True, 0, True), (True, -39, True), (True, -41, False),
        ):  # fmt: skip
            block = BlockFacts(1000, 2, 1, lambda left_ms=left_ms: left_ms, is_coming)
            self.assertEqual(ledger.allows(block, state), allowed, (is_coming, left_ms))

    def test_persists_of_unknown_cost_must_fit_at_their_longest(self) -> None:
        ledger = Ledger(0.1)
        state = StateFacts(1000, 1e6, 0.1)
        for _ in range(4):
            ledger.observe("epoch/step", 10, 10)
        # Two of them were watched, and nobody knows how long they take without.
        for left_ms, allowed in ((5, False), (20, False), (25, True)):
            block = BlockFacts(1000, 1, 0, lambda left_ms=left_ms: left_ms)
            self.assertEqual(ledger.allows(block, state), allowed, left_ms)

    def test_all_that_it_takes_the_processor_counts_and_no_wait(self) -> None:
        ledger = Ledger(0.1)
        ledger.charge(Cost(1, 2, 100))
        ledger.log_ms, ledger.other_ms = 4, 24
        ledger.outermost_ms, ledger.beside_ms = 32, 64
        self.assertEqual(ledger.processor_ms, 127)
        # Of 10 s, 9.837 are the training's: a tenth of it, less what it did and waited for.
        self.assertAlmostEqual(ledger.left_ms(10_000), 983.7 - 131 - 32)
        # Three threads of the program computed: what is done beside it is a share of that, but
        # what it waits for is none.
        ledger.beside_ms = 1200
        for processor_ms, left_ms in ((0, -279.3), (15_263, 137), (31_263, 820.7)):
            self.assertAlmostEqual(ledger.left_ms(10_000, processor_ms), left_ms)
        ledger.beside_ms = 64
        # By the clock it took twice as long as it would have alone.
        ledger.running_share = 0.5
        self.assertEqual(ledger.processor_ms, 31 / 2 + 32 + 64)


if __name__ == "__main__":
    unittest.main()
