import { numberFor } from '../../store/randomness.ts';
import { iso } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import { lockState, updateState } from '../../clock/state.ts';
import { ApiError } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { listRequests } from '../../http/request-log.ts';
import { newId } from '../../store/ids.ts';

type DrillEndpoint = `sandbox.${'requests.list' | `faults.${'add' | 'list' | 'clear'}` | 'jwks'}`;

/** Handlers for the request log, the faults and the keys of the identity provider. */
export const drillHandlers: Pick<AreaHandlers<'sandbox'>, DrillEndpoint> = {
  'sandbox.requests.list': async ({ service, page }) => {
    await service.flush();
    return await service.store.read(async (db) => {
      const { rows, next_cursor } = await page((before, limit) => listRequests(db, before, limit));
      return { requests: rows.map(({ seq: _, ...entry }) => ({ ...entry, at: iso(entry.at) })), next_cursor };
    });
  },

  'sandbox.faults.add': async ({ service, body }) => {
    const fault = { id: newId('flt'), ...body, ...(body.rate !== undefined && { seed: body.seed ?? numberFor('fault', 2 ** 31) }) };
    await service.store.write(async (db) => {
      const { faults } = await lockState(db);
      if (faults.length >= limits.faults) throw new ApiError(400, `There are ${limits.faults} faults, as many as there can be`);
      await updateState(db, { faults: [...faults, { ...fault, matched: 0, fired: 0 }] });
    });
    return { fault };
  },

  'sandbox.faults.list': async ({ state }) => ({
    faults: state.faults.map(({ matched: _matched, fired: _fired, ...fault }) => fault),
  }),

  'sandbox.faults.clear': async ({ service }) => {
    await service.store.write((db) => updateState(db, { faults: [] }));
    return {};
  },

  'sandbox.jwks': async ({ service: { identities, origin }, query: { nonce } }) => ({
    ...identities.jwks,
    ...(nonce !== undefined && origin !== null && { proof: await identities.prove(nonce, origin) }),
  }),
};
