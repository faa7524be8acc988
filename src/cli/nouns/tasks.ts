import { listContacts } from '../../contract/areas/contacts/endpoints.ts';
import * as contract from '../../contract/areas/tasks/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'title', 'status', 'assignee', 'due_at', 'contact_id', 'description', 'created_at'] as const;

const ids = lookup(contract.listTasks, 'tasks', 'title');

const contactIds = lookup(listContacts, 'contacts', 'phone_number');

const shared = { arguments: [{ param: 'id', summary: 'the id of a task', completes: ids }] } as const;

const shown = { field: 'task', columns } as const;

const fields = [
  'description',
  { field: 'contact_id', flag: 'contact', completes: contactIds },
  { field: 'assignee', placeholder: 'name' },
  'due_at',
] as const;

export const tasks: Noun = {
  name: 'tasks',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listTasks,
      examples: [['msgctl tasks list --all --query "tasks[?status==\'open\'].title" -o tsv', 'titles of open tasks']],
      shown: { columns: ['id', 'title', 'status', 'assignee', 'due_at', 'contact_id'] },
    }),
    callVerb({ ...shared, name: 'get', endpoint: contract.getTask, examples: [['msgctl tasks get tsk_1', 'show one task']], shown }),
    callVerb({
      name: 'create',
      endpoint: contract.createTask,
      examples: [["msgctl tasks create 'Call back' --contact con_1 --due-at 2027-03-02T15:00:00Z", 'a task for a contact with a due date']],
      arguments: [{ field: 'title' }],
      fields,
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateTask,
      examples: [
        ['msgctl tasks update tsk_1 --assignee Eve', 'fields you leave out keep their value'],
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
    deleteVerb('task', {
      ...shared,
      endpoint: contract.deleteTask,
      examples: [['msgctl tasks delete tsk_1 --yes', 'skip the confirmation']],
    }),
  ],
};
