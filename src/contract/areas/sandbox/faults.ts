import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { faultFields } from '../../faults.ts';
import { choiceOfFields } from '../../issues.ts';
import { shared } from './shared.ts';

export const addFault = endpoint({
  ...shared,
  name: 'sandbox.faults.add',
  method: 'POST',
  path: '/sandbox/faults',
  summary: 'Add a fault that makes requests fail on purpose',
  body: () =>
    z
      .object(faultFields())
      .refine(
        (fault) => [fault.status, fault.delay_ms, fault.drop, fault.reporting_database].filter((kind) => kind !== undefined).length === 1,
        choiceOfFields("give exactly one of 'status', 'delay_ms', 'drop' and 'reporting_database'"),
      ),
  responses: { 200: () => z.object({ fault: z.object({ ...faultFields(), id: z.string().describe('the id of the fault') }) }) },
});

export const listFaults = endpoint({
  ...shared,
  name: 'sandbox.faults.list',
  method: 'GET',
  path: '/sandbox/faults',
  summary: 'List the active faults',
  responses: { 200: () => z.object({ faults: z.array(z.object({ ...faultFields(), id: z.string().describe('the id of the fault') })) }) },
});

export const clearFaults = endpoint({
  ...shared,
  name: 'sandbox.faults.clear',
  method: 'DELETE',
  path: '/sandbox/faults',
  summary: 'Remove every fault',
  responses: { 200: () => z.object({}) },
});
