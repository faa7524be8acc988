/** Number of random cases or races that a test tries: `few` in `npm test`, twice as many in `npm run test:all`. */
export function tries(few: number): number {
  return isLongSweep ? few * 2 : few;
}

/** Whether sweeps try all cases, as in `npm run test:all`. */
export const isLongSweep = process.env.MSGCTL_TEST_SWEEPS === 'long';

/** The cases that a test tries: the first ones in `npm test`, all in `npm run test:all`. */
export function cases<Case>(few: number, all: readonly Case[]): readonly Case[] {
  return isLongSweep ? all : all.slice(0, few);
}
