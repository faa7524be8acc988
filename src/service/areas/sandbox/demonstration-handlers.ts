import type { AreaHandlers } from '../../http/handler.ts';

/** The handler that fills the first account with a demonstration. */
export const demonstrationHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.demo'> = {
  'sandbox.demo': async ({ service, body }) => {
    const { fillDemonstration } = await import('./demonstration.ts');
    return await fillDemonstration(service, body);
  },
};
