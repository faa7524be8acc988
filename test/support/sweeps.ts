/** How often a test tries random cases or races: `few` times in `npm test`, eight times as often in `npm run test:all`. */
export function tries(few: number): number {
  return isLongSweep ? few * 8 : few;
}

/** Whether sweeps try every case, as in `npm run test:all`. */
export const isLongSweep = process.env.MSGCTL_TEST_SWEEPS === 'long';
