import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { isLongSweep } from '../support/sweeps.ts';

// Its seventy commands have tests of their own, so `npm test` leaves it out.
it.runIf(isLongSweep)('the demo of the README runs to its end', { timeout: 240_000 }, async () => {
  const demo = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [demo], { maxBuffer: 16 * 1024 * 1024 });
  expect(stdout).toMatch(/^Done in .* s\. Next: /m);
});
