import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { pairingStatuses } from '../channels/endpoints.ts';
import { shared } from './shared.ts';

const pairingStep = {
  ...shared,
  method: 'POST',
  responses: { 200: () => z.object({ phone_number: z.string(), status: z.enum(pairingStatuses) }) },
  errors: [404, 409],
} as const;

export const scanPairing = endpoint({
  ...pairingStep,
  name: 'sandbox.pairings.scan',
  path: '/sandbox/accounts/{id}/pairings/{phone}/scan',
  summary: 'Simulate a phone that scans the QR code',
});

export const expirePairing = endpoint({
  ...pairingStep,
  name: 'sandbox.pairings.expire',
  path: '/sandbox/accounts/{id}/pairings/{phone}/expire',
  summary: 'Simulate a QR code that expires before it is scanned',
});

export const dropPairing = endpoint({
  ...pairingStep,
  name: 'sandbox.pairings.drop',
  path: '/sandbox/accounts/{id}/pairings/{phone}/drop',
  summary: 'Simulate a lost connection of a paired number',
});
