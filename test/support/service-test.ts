import { it as base } from 'vitest';
import type { ServiceOptions } from '../../src/service/service.ts';
import { TestService } from './test-service.ts';

/** Tests with a `service` that those of a file share, opened with `options`. */
export const it = base
  .extend('options', { scope: 'file' }, {} as Partial<ServiceOptions>)
  .extend('service', { scope: 'file' }, async ({ options }, { onCleanup }) => {
    const service = await TestService.open(options);
    onCleanup(() => service.close());
    return service;
  });
