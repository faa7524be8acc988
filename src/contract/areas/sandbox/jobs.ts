import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { jobKinds } from '../../job-kinds.ts';
import { shared } from './shared.ts';

const hold = () => z.union([z.literal('all'), z.array(z.enum(jobKinds))]);

const jobsAnswer = () =>
  z.object({
    hold: hold().describe('the kinds of jobs that are held, or all'),
    waiting: z.record(z.string(), z.int()).describe('how many jobs of each kind wait or run'),
  });

export const getJobs = endpoint({
  ...shared,
  name: 'sandbox.jobs.get',
  method: 'GET',
  path: '/sandbox/jobs',
  summary: 'Count the waiting jobs by kind and show which kinds are held',
  responses: { 200: jobsAnswer },
});

export const holdJobs = endpoint({
  ...shared,
  name: 'sandbox.jobs.hold',
  method: 'POST',
  path: '/sandbox/jobs',
  summary: 'Keep jobs of the given kinds from running; an empty list releases all',
  body: () =>
    z.object({
      hold: hold().describe('the kinds of jobs to hold; `all` for every kind'),
    }),
  responses: { 200: jobsAnswer },
});

export const settle = endpoint({
  ...shared,
  name: 'sandbox.settle',
  method: 'POST',
  path: '/sandbox/settle',
  summary: 'Wait until all due jobs have run',
  responses: { 200: () => z.object({ jobs_run: z.int().describe('how many jobs ran') }) },
  errors: [504],
});
