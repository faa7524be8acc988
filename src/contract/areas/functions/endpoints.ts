import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { anyObject, id, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { secret } from '../../secret.ts';
import { testedCall } from './calls.ts';
import { headers, newHeaders } from './headers.ts';
import { parametersFlaw } from './parameters.ts';

export const functionMethods = ['POST', 'GET'] as const;

/** The name of the tool that sends media. No function can have it. */
export const sendMedia = 'send_media';

const functionName = () =>
  z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, { error: 'must have at most 63 lower-case letters, digits and _, and begin with a letter' })
    .refine((value) => value !== sendMedia, { error: `must not be ${sendMedia}, which is the tool that sends media` });

/** A JSON Schema, which `parametersFlaw` checks. */
const parameters = () =>
  anyObject().superRefine((value, context) => {
    const flaw = parametersFlaw(value);
    if (flaw) context.addIssue({ code: 'custom', path: flaw.path === '' ? [] : flaw.path.split('.'), message: flaw.text });
  });

const fields = () => ({
  description: text().nullable().optional().describe('when the agent calls it, and what it returns'),
  parameters: parameters()
    .optional()
    .meta({ description: 'the arguments, as a JSON Schema of an object', defaultText: 'an object without properties' }),
  method: z.enum(functionMethods).optional().meta({ description: 'the method of the request', defaultText: 'POST' }),
  headers: newHeaders().optional().describe('headers of the request by name; their values are secrets'),
  timeout_seconds: z.int().min(1).max(15).optional().meta({ description: 'how long a call may take, in seconds', defaultText: '10' }),
  enabled: z.boolean().optional().meta({ description: 'whether agents may call it', defaultText: 'true' }),
});

const url = () => text(limits.pageUrlLength).describe('the address that is called, https except in a sandbox');
const newName = () => functionName().describe('the name by which the model calls it');

/** A function as answers show it. */
const customFunction = () =>
  z.object({
    id: recordId('fun_'),
    name: z.string(),
    description: z.string().nullable(),
    parameters: z.record(z.string(), z.unknown()).describe('the arguments, as a JSON Schema of an object'),
    url: z.string().describe('the address that is called'),
    method: z.enum(functionMethods),
    headers: headers().describe('the headers of the request; the values are masked'),
    timeout_seconds: z.int().describe('how long a call may take, in seconds'),
    enabled: z.boolean().describe('whether agents may call it'),
    signing_enabled: z.boolean(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Custom Functions', access: 'account' } as const;
const edit = { ...shared, permission: 'agents.edit' } as const;
const ofAgents = { section: 'Agents', access: 'account' } as const;
const answer = { 200: () => z.object({ custom_function: customFunction() }) } as const;

export const listFunctions = endpoint({
  ...shared,
  name: 'functions.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/custom-functions',
  summary: 'List the custom functions, newest first',
  query: () => z.object(pageQuery()),
  rows: 'custom_functions',
  responses: { 200: () => z.object({ custom_functions: z.array(customFunction()), next_cursor: nextCursor() }) },
});

export const createFunction = endpoint({
  ...edit,
  name: 'functions.create',
  method: 'POST',
  path: '/custom-functions',
  summary: 'Create a custom function, which agents with a model can call',
  body: () => z.object({ name: newName(), url: url(), ...fields() }),
  responses: { 201: () => z.object({ custom_function: customFunction() }) },
  errors: [409],
});

export const getFunction = endpoint({
  ...shared,
  name: 'functions.get',
  method: 'GET',
  path: '/custom-functions/{id}',
  summary: 'Show a custom function',
  responses: answer,
  errors: [404],
});

export const updateFunction = endpoint({
  ...edit,
  name: 'functions.update',
  method: 'PUT',
  path: '/custom-functions/{id}',
  summary: 'Update a custom function; headers replace all there were, and those sent as ******** keep their values',
  body: () => z.object({ name: newName().optional(), url: url().optional(), ...fields() }),
  responses: answer,
  errors: [404, 409],
});

export const deleteFunction = endpoint({
  ...edit,
  name: 'functions.delete',
  method: 'DELETE',
  path: '/custom-functions/{id}',
  summary: 'Delete a custom function; agents lose it',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const rotateFunctionSecret = endpoint({
  ...edit,
  name: 'functions.rotateSecret',
  method: 'POST',
  path: '/custom-functions/{id}/signing-secret',
  summary: 'Sign the calls of a custom function with a new secret, shown once',
  responses: { 200: () => z.object({ signing_secret: secret(z.string()) }) },
  errors: [404],
});

export const removeFunctionSecret = endpoint({
  ...edit,
  name: 'functions.removeSecret',
  method: 'DELETE',
  path: '/custom-functions/{id}/signing-secret',
  summary: 'Stop signing the calls of a custom function',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const testFunction = endpoint({
  ...edit,
  name: 'functions.test',
  method: 'POST',
  path: '/custom-functions/{id}/test',
  summary: 'Call a custom function with arguments, marked as a test',
  answerLimits: { bytes: 4 * 1024 * 1024, milliseconds: 60_000 },
  body: () => z.object({ arguments: anyObject().optional().meta({ description: 'the arguments', defaultText: 'none' }) }),
  responses: {
    200: () =>
      z.object({
        ...testedCall(),
        status_code: z.int().nullable().describe('the HTTP status of the answer; null without one'),
      }),
  },
  errors: [404],
});

export const listAgentFunctions = endpoint({
  ...ofAgents,
  name: 'functions.ofAgent',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/agents/{agentId}/custom-functions',
  summary: 'List the custom functions of an agent, newest first',
  query: () => z.object(pageQuery()),
  rows: 'custom_functions',
  responses: { 200: () => z.object({ custom_functions: z.array(customFunction()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const attachFunctions = endpoint({
  ...ofAgents,
  permission: 'agents.edit',
  name: 'functions.attach',
  method: 'POST',
  path: '/agents/{agentId}/custom-functions',
  summary: 'Let an agent call custom functions',
  body: () => z.object({ custom_function_ids: z.array(id()).min(1).max(100).describe('the ids of custom functions') }),
  responses: { 200: () => z.object({ agent_id: z.string(), custom_function_ids: z.array(z.string()) }) },
  errors: [404],
});

export const detachFunction = endpoint({
  ...ofAgents,
  permission: 'agents.edit',
  name: 'functions.detach',
  method: 'DELETE',
  path: '/agents/{agentId}/custom-functions/{functionId}',
  summary: 'Take a custom function away from an agent; the function stays',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const functionEndpoints = [
  listFunctions,
  createFunction,
  getFunction,
  updateFunction,
  deleteFunction,
  rotateFunctionSecret,
  removeFunctionSecret,
  testFunction,
  listAgentFunctions,
  attachFunctions,
  detachFunction,
] as const;
