import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { type PlanId, planIds, plans } from '../../../../src/contract/plans.ts';
import { changeTo, dueRenewals, monthsAfter, renew, renewsAt, type Subscription } from '../../../../src/service/areas/billing/rules.ts';
import { tries } from '../../../support/sweeps.ts';

const at = (text: string) => Date.parse(text);
const shown = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

const on = (planId: PlanId, startedAt: string, periods = 0): Subscription => ({
  planId,
  startedAt: at(startedAt),
  periods,
  pendingPlanId: null,
});

const day = 86_400_000;

/** An instant of a hundred years, to the millisecond. */
const instant = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2100-01-01T00:00:00Z') });

describe('periods', () => {
  // Proves rule billing.11.
  it.each([
    ['2027-01-31T10:30:00.500Z', ['2027-02-28T10:30:00.500Z', '2027-03-31T10:30:00.500Z', '2027-04-30T10:30:00.500Z']],
    ['2028-01-30T00:00:00.000Z', ['2028-02-29T00:00:00.000Z', '2028-03-30T00:00:00.000Z']],
    ['2028-02-29T23:59:59.999Z', ['2028-03-29T23:59:59.999Z', '2028-04-29T23:59:59.999Z']],
    ['2027-12-15T12:00:00.000Z', ['2028-01-15T12:00:00.000Z', '2028-02-15T12:00:00.000Z']],
  ])('of a plan from %s begin on its day, or the last one of a shorter month', (start, renewals) => {
    expect(renewals.map((_, periods) => shown(renewsAt(on('growth', start, periods))))).toEqual(renewals);
  });

  // Proves rule billing.11.
  it('are calendar months, as another implementation counts them', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 500 }), (start, months) => {
        const begin = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO('UTC');
        expect(monthsAfter(start, months)).toBe(begin.add({ months }).epochMilliseconds);
      }),
      { numRuns: tries(500) },
    );
  });

  // Proves rule billing.12.
  it('begin once each, in order, however late and in however many steps', () => {
    fc.assert(
      fc.property(instant, fc.array(fc.integer({ min: 0, max: 400 * day }), { maxLength: 8 }), (start, waits) => {
        let [now, stepped] = [start, changeTo('growth', { planId: 'sandbox', startedAt: null, periods: 0, pendingPlanId: null }, start)];
        let granted = 0;
        for (const wait of waits) {
          now += wait;
          const due = dueRenewals(stepped.subscription, 1, now);
          granted += due.reduce((sum, { credits }) => sum + credits, 0);
          due.forEach(({ subscription }, index) => expect(subscription.periods).toBe(stepped.subscription.periods + index + 1));
          stepped = { ...stepped, subscription: due.at(-1)?.subscription ?? stepped.subscription };
        }
        let months = 0;
        const begin = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO('UTC');
        while (begin.add({ months: months + 1 }).epochMilliseconds <= now) months++;
        expect([stepped.subscription.periods, granted]).toEqual([months, months * 5_000]);
      }),
      { numRuns: tries(300) },
    );
  });
});

const none: Subscription = { planId: 'sandbox', startedAt: null, periods: 0, pendingPlanId: null };

describe('a change of the plan', () => {
  const start = '2027-04-01T00:00:00Z';

  // Proves rule billing.5.
  it('from sandbox begins a period with all credits at the whole price', () => {
    expect(changeTo('scale', none, at(start))).toEqual({
      subscription: { ...on('scale', start) },
      credits: 20_000,
      cents: 29_900,
      effectiveAt: at(start),
    });
  });

  // Proves rules billing.6, billing.18. April has 30 days.
  it.each<[PlanId, PlanId, string, number, number]>([
    ['starter', 'growth', '2027-04-16T00:00:00Z', 2_000, 3_500],
    ['starter', 'scale', '2027-04-01T00:00:00Z', 19_000, 27_000],
    ['growth', 'scale', '2027-04-21T00:00:00Z', 5_000, 6_667],
    ['starter', 'growth', '2027-04-30T23:59:59.999Z', 0, 0],
    ['starter', 'growth', '2027-04-30T23:00:00Z', 5, 10],
    // 45 of 720 hours: 250 credits, and 4.375 dollars.
    ['starter', 'growth', '2027-04-29T03:00:00Z', 250, 438],
  ])('from %s up to %s at %s gives the difference for the rest of the period', (from, to, now, credits, cents) => {
    const change = changeTo(to, on(from, start), at(now));
    expect(change).toEqual({ subscription: on(to, start), credits, cents, effectiveAt: at(now) });
  });

  // Proves rules billing.7, billing.8, billing.19.
  it('down waits for the renewal, and is taken back by the present plan or a higher one', () => {
    const now = at('2027-04-16T00:00:00Z');
    const down = changeTo('starter', on('growth', start), now);
    expect(down).toEqual({
      subscription: { ...on('growth', start), pendingPlanId: 'starter' },
      credits: 0,
      cents: 0,
      effectiveAt: at('2027-05-01T00:00:00Z'),
    });
    expect(changeTo('growth', down.subscription, now)).toEqual({
      subscription: on('growth', start),
      credits: 0,
      cents: 0,
      effectiveAt: now,
    });
    expect(changeTo('scale', down.subscription, now)).toMatchObject({ subscription: on('scale', start), credits: 7_500, cents: 10_000 });
    const lower = changeTo('growth', { ...on('scale', start), pendingPlanId: 'starter' }, now);
    expect(lower.subscription.pendingPlanId).toBe('growth');
  });

  // Proves rules billing.10, billing.12.
  it('that waits begins with its own credits, or is dropped', () => {
    const waiting = { ...on('growth', start), pendingPlanId: 'starter' } as const;
    expect(renew(waiting, 3)).toEqual({ subscription: on('starter', start, 1), credits: 1_000, dropped: null });
    expect(renew(waiting, 4)).toEqual({ subscription: on('growth', start, 1), credits: 5_000, dropped: 'starter' });
  });
});

/** A change to a plan, after some time. */
const steps = fc.array(
  fc.record({ wait: fc.integer({ min: 0, max: 90 * day }), plan: fc.constantFrom<PlanId>('starter', 'growth', 'scale') }),
  {
    maxLength: 20,
  },
);

// Proves rules billing.5, billing.6, billing.7, billing.8, billing.12.
it('any order of changes and months gives in each period at most what its dearest plan does, never twice and without fractions', () => {
  fc.assert(
    fc.property(instant, steps, (start, changes) => {
      let now = start;
      let current = changeTo('starter', none, now).subscription;
      let inPeriod = { credits: 1_000, cents: 2_900 };
      const checkPeriod = () => {
        const { monthly_credits: most, price_usd: price } = plans[current.planId as Exclude<PlanId, 'sandbox'>];
        expect(inPeriod.credits).toBeLessThanOrEqual(most);
        // Each change is rounded by less than a cent.
        expect(inPeriod.cents).toBeLessThanOrEqual(price * 100 + changes.length);
      };
      for (const { wait, plan } of changes) {
        now += wait;
        for (const { subscription, credits } of dueRenewals(current, 1, now)) {
          checkPeriod();
          expect(subscription.planId).toBe(current.pendingPlanId ?? current.planId);
          current = subscription;
          inPeriod = { credits, cents: plans[current.planId].price_usd * 100 };
        }
        const change = changeTo(plan, current, now);
        expect([Number.isSafeInteger(change.credits), Number.isSafeInteger(change.cents)]).toEqual([true, true]);
        expect(Math.min(change.credits, change.cents)).toBeGreaterThanOrEqual(0);
        const [from, to] = [planIds.indexOf(current.planId), planIds.indexOf(plan)];
        expect([change.subscription.planId, change.subscription.pendingPlanId]).toEqual(to < from ? [current.planId, plan] : [plan, null]);
        if (to > from) {
          // Exactly, in rational numbers: the difference, times what is left of the period.
          const [end, begin] = [renewsAt(current) as number, monthsAfter(current.startedAt as number, current.periods)];
          const difference = BigInt((plans[plan].monthly_credits ?? 0) - (plans[current.planId].monthly_credits ?? 0));
          expect(BigInt(change.credits)).toBe((difference * BigInt(end - now)) / BigInt(end - begin));
        } else expect([change.credits, change.cents]).toEqual([0, 0]);
        inPeriod = { credits: inPeriod.credits + change.credits, cents: inPeriod.cents + change.cents };
        current = change.subscription;
        checkPeriod();
      }
    }),
    { numRuns: tries(500) },
  );
});
