import { expect, it } from 'vitest';
import { toCliError } from '../../src/cli/explain.ts';
import { ApiError } from '../../src/service/errors.ts';

it('a store that another process has locked is a service that is unavailable, and not a bug', () => {
  const message = 'The store is busy: another process is writing to it; try again';
  expect(toCliError(new ApiError(503, message))).toMatchObject({ exitCode: 9, code: 'service_unavailable', message });
});
