import { describe, expect, it } from 'vitest';
import { type AgentAvailability, agentAvailability, isAvailable } from '../../../src/contract/areas/agents/availability.ts';

const at = (instant: string) => Date.parse(instant);

const day = (start_time: string, end_time: string) => ({ start_time, end_time });

describe('the availability of an agent', () => {
  // Proves rules agents.22, agents.23, agents.24.
  it.each<[string, AgentAvailability, string, boolean]>([
    ['UTC', {}, '2027-03-01T03:00:00Z', true],
    ['UTC', { monday: [] }, '2027-03-01T03:00:00Z', false],
    ['UTC', { tuesday: day('09:00', '17:00') }, '2027-03-01T12:00:00Z', false],
    ['UTC', { monday: day('09:00', '17:00') }, '2027-03-01T08:59:59Z', false],
    ['UTC', { monday: day('09:00', '17:00') }, '2027-03-01T09:00:00Z', true],
    ['UTC', { monday: day('09:00', '17:00') }, '2027-03-01T16:59:59Z', true],
    ['UTC', { monday: day('09:00', '17:00') }, '2027-03-01T17:00:00Z', false],
    ['UTC', { monday: [day('09:00', '12:00'), day('13:00', '17:00')] }, '2027-03-01T12:30:00Z', false],
    ['UTC', { monday: [day('09:00', '12:00'), day('13:00', '17:00')] }, '2027-03-01T13:30:00Z', true],
    ['UTC', { monday: day('22:00', '06:00') }, '2027-03-01T23:00:00Z', true],
    ['UTC', { monday: day('22:00', '06:00') }, '2027-03-02T05:59:00Z', true],
    ['UTC', { monday: day('22:00', '06:00') }, '2027-03-02T06:00:00Z', false],
    ['UTC', { monday: day('22:00', '06:00') }, '2027-03-01T05:00:00Z', false],
    ['UTC', { sunday: day('22:00', '06:00') }, '2027-03-01T05:00:00Z', true],
    ['UTC', { monday: day('18:00', '00:00') }, '2027-03-01T23:59:00Z', true],
    ['UTC', { monday: day('18:00', '00:00') }, '2027-03-02T00:00:00Z', false],
    ['UTC', { monday: day('18:00', '24:00') }, '2027-03-01T23:59:00Z', true],
    ['UTC', { monday: day('18:00', '24:00') }, '2027-03-02T00:00:00Z', false],
    ['UTC', { monday: day('10:00', '10:00') }, '2027-03-02T09:59:00Z', true],
    ['UTC', { monday: day('10:00', '10:00') }, '2027-03-02T10:00:00Z', false],
    // The clocks go forward at 02:00 and back at 03:00. Active hours are compared with the local time shown.
    ['Europe/Berlin', { sunday: day('03:00', '04:00') }, '2027-03-28T01:30:00Z', true],
    ['Europe/Berlin', { sunday: day('02:00', '03:00') }, '2027-03-28T00:59:00Z', false],
    ['Europe/Berlin', { sunday: day('02:00', '03:00') }, '2027-10-31T00:30:00Z', true],
    ['Europe/Berlin', { sunday: day('02:00', '03:00') }, '2027-10-31T01:30:00Z', true],
    ['Asia/Kolkata', { monday: day('00:00', '00:30') }, '2027-02-28T18:45:00Z', true],
  ])('in %s with %j at %s is %j', (timezone, availability, instant, expected) => {
    expect(agentAvailability().safeParse(availability).success).toBe(true);
    expect(isAvailable(availability, timezone, at(instant))).toBe(expected);
  });
});
