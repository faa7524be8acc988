import * as contract from '../../contract/areas/tasks/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun } from '../verb/noun.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { contactField, withNamedFields } from '../lookups/named.ts';
import { taskLookup } from '../lookups/tasks.ts';

const columns = ['id', 'title', 'status', 'due_at', 'assignee', 'contact_id', 'description', 'created_at'] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the title of a task', lookup: taskLookup }] } as const;

const shown = { field: 'task', columns } as const;

const fields = [
  'description',
  { field: 'contact_id', flag: 'contact', lookup: contactLookup },
  { field: 'assignee', placeholder: 'name' },
  'due_at',
] as const;

export const tasks: Noun = {
  name: 'tasks',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listTasks,
        examples: [
          ['msgctl tasks list --status open --contact +14155550123', 'what is still to do for a contact'],
          ['msgctl tasks list --status open --all --query tasks[].title -o tsv', 'titles of open tasks'],
        ],
        fields: ['status', { field: 'contact_id', flag: 'contact', lookup: contactLookup }],
        shown: { columns: ['id', 'title', 'status', 'due_at', 'assignee', 'contact_id'] },
      }),
      [contactField],
      ['id', 'title', 'status', 'due_at', 'contact', 'assignee'],
    ),
    withNamedFields(
      callVerb({ ...shared, name: 'get', endpoint: contract.getTask, examples: [['msgctl tasks get tsk_1', 'show one task']], shown }),
      [contactField],
    ),
    callVerb({
      name: 'create',
      endpoint: contract.createTask,
      examples: [
        ["msgctl tasks create 'Call back' --contact +14155550123 --due-at 'tomorrow 15:00'", 'a task for a contact with a due date'],
      ],
      arguments: [{ field: 'title' }],
      fields,
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateTask,
      examples: [
        ['msgctl tasks update tsk_1 --assignee Eve', 'fields you omit keep their value'],
        ["msgctl tasks update tsk_1 --due-at ''", 'clear a field with an empty text'],
      ],
      fields: ['title', ...fields, 'status'],
      shown,
    }),
    callVerb({
      ...shared,
      name: 'complete',
      endpoint: contract.completeTask,
      examples: [['msgctl tasks complete tsk_1', 'mark a task as done']],
      shown,
    }),
    deleteVerb({
      lookup: taskLookup,
      endpoint: contract.deleteTask,
      examples: [['msgctl tasks delete tsk_1 --yes', 'skip the confirmation']],
    }),
  ],
};
