import { type StageKind, stageKinds } from '../../../contract/areas/pipelines/endpoints.ts';
import { fold } from '../../../contract/text/fold.ts';
import { sentenceOf } from '../../../contract/text/some-of.ts';
import { InvalidValue } from '../../invalid-value.ts';
import { pipelineLookup } from '../../lookups/pipelines.ts';
import type { OptionSpec, Session } from '../../verb/noun.ts';

/** A stage on the command line. */
export interface GivenStage {
  readonly name: string;
  readonly kind?: StageKind;
}

const endsWithKind = new RegExp(`^(.+):(${stageKinds.join('|')})$`, 'is');

/** The option for the stages of a pipeline, in their order. */
export const stageOption: OptionSpec = {
  flags: '--stage <name>',
  summary: 'a stage, with its kind as in `Won:won` unless it is open; can be repeated, in order',
  parse: parseStage,
  isRepeated: true,
  fills: ['stages'],
};

function parseStage(text: string, previous: unknown): readonly GivenStage[] {
  if (text.trim() === '') throw new InvalidValue('must be a name, such as New or Won:won');
  const [, name = text, kind] = endsWithKind.exec(text) ?? [];
  return [
    ...((previous as readonly GivenStage[] | undefined) ?? []),
    { name, ...(kind !== undefined && { kind: kind.toLowerCase() as StageKind }) },
  ];
}

/** The given stages of a pipeline as a request. A stage of the same name stays the stage that it was, and a note names those that go. */
export async function withIds({ names, notes }: Session, pipeline: string, given: readonly GivenStage[]) {
  const { stages } = await names.record(pipelineLookup, pipeline);
  const kept = new Set(given.map(({ name }) => fold(name)));
  const gone = stages.filter(({ name }) => !kept.has(fold(name))).map(({ name }) => name);
  if (gone.length > 0) notes.say(`Stages that are not given are removed: ${sentenceOf(gone)}.`);
  const ids = new Map(stages.map((stage) => [fold(stage.name), stage.id]));
  return given.map((stage) => ({ ...stage, id: ids.get(fold(stage.name)) }));
}
