import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import type { Failure } from './log-failures.ts';
import type { NewNotification } from './notify.ts';

/** What collects notifications and failures, as a journal does. */
interface Telling {
  notify(notification: NewNotification): void;
  fail(failure: Failure): void;
}

/** Tells the account that an import failed. @param sourceId the source; null for a calendar */
export function tellImportFailed(telling: Telling, sourceId: string | null, code: ErrorCode): void {
  const entity = { type: 'kb_source', id: sourceId } as const;
  telling.fail({ source: 'import', code, entity });
  telling.notify({
    kind: 'import_failed',
    title: 'An import failed',
    text: `${sourceId === null ? 'A calendar' : 'A page or a document'} could not be imported. The error log says why.`,
    entity: sourceId === null ? null : { ...entity, id: sourceId },
  });
}
