import type { StageKind } from '../../../contract/areas/pipelines/endpoints.ts';
import { fold } from '../../../contract/text/fold.ts';
import { ApiError, invalidField, notFound } from '../../errors.ts';
import type { Stage } from './table.ts';

/** A stage in a request. One with an id is the stage that it was. */
export interface WantedStage {
  readonly id?: string | undefined;
  /** By default, a stage that stays keeps its name. */
  readonly name?: string | undefined;
  readonly kind?: StageKind | undefined;
}

/** The stages of the pipeline of an account that has none. */
export const initialStages: readonly WantedStage[] = [
  { name: 'New' },
  { name: 'Qualified' },
  { name: 'Proposal' },
  { name: 'Won', kind: 'won' },
  { name: 'Lost', kind: 'lost' },
];

/** A stage as it is to be. `before` is the stage that it was. */
interface PlannedStage {
  readonly before: Stage | undefined;
  readonly name: string;
  readonly kind: StageKind;
}

/**
 * Matches the stages of a request with those of the pipeline (rule pipelines.4).
 * @throws ApiError 404 for the id of another stage, 400 when two would have one name; 409 if a stage with deals would go, or get another kind
 */
export function planStages(before: readonly Stage[], wanted: readonly WantedStage[]): PlannedStage[] {
  const byId = new Map(before.map((stage) => [stage.id, stage]));
  const planned = wanted.map(({ id, name, kind }) => {
    const stage = id === undefined ? undefined : byId.get(id);
    if (id !== undefined && !stage) throw notFound('stage', id);
    return { before: stage, name: name ?? stage?.name ?? '', kind: kind ?? stage?.kind ?? 'open' };
  });
  if (new Set(planned.map((stage) => fold(stage.name))).size < planned.length) throw invalidField('stages', 'must have different names');
  const kept = new Set(planned.map((stage) => stage.before?.id));
  checkWithoutDeals(
    before.filter(({ id }) => !kept.has(id)),
    'be removed',
  );
  checkWithoutDeals(
    planned.flatMap((stage) => (stage.before && stage.before.kind !== stage.kind ? [stage.before] : [])),
    'get another kind',
  );
  return planned;
}

/** @throws ApiError 409 if the stages have deals (rule pipelines.5) */
export function checkWithoutDeals(stages: readonly Stage[], what: string): void {
  const withDeals = stages.filter(({ deal_count: count }) => count > 0);
  if (withDeals.length === 0) return;
  const names = withDeals.map(({ name }) => `'${name}'`).join(', ');
  const blocking = withDeals.reduce((sum, { deal_count: count }) => sum + count, 0);
  throw new ApiError(409, `Stages with deals cannot ${what}: ${names}. Move their deals first`, { blocking_deal_count: blocking });
}
