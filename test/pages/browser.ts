import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where distributions install Chromium. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

/** Whether there is a browser for the tests of the pages. */
export const hasBrowser = executablePath !== undefined;

/** Starts Chromium, which contacts nobody by itself. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  });
}
