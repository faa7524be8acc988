// The structure of the source: which folder may import which. `npm run check` enforces it.

const machinery = '^src/service/(clock|drills|flow|http|identity|jobs|maintenance|network|store)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular-files', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-circular-folders', severity: 'error', scope: 'folder', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'contract-stands-alone',
      comment:
        'The contract may import zod, the numbering plans, Temporal, recurrence rules, the edit distance, the validator of JSON Schemas, and Node’s crypto for the webhook signature that both sides compute.',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: {
        pathNot:
          '^src/contract/|node_modules/(zod|libphonenumber-js|temporal-polyfill|rrule-temporal|fastest-levenshtein|@cfworker/json-schema)/|^(node:)?crypto$',
      },
    },
    {
      name: 'client-needs-the-contract-only',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/', pathNot: '^src/(client|contract)/' },
    },
    {
      name: 'service-needs-the-contract-only',
      severity: 'error',
      from: { path: '^src/service/', pathNot: '^src/service/areas/snapshots/' },
      to: { path: '^src/', pathNot: '^src/(service|contract|workbook|processes)/|^src/pages/(html/|texts[.]ts$)' },
    },
    {
      name: 'pages-stand-alone',
      comment:
        'Pages speak to the service over its public routes. The service sends their HTML, and what runs in a browser is built apart.',
      severity: 'error',
      from: { path: '^src/pages/' },
      to: { path: '^src/', pathNot: '^src/pages/' },
    },
    {
      name: 'browsers-run-the-pages',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/pages/browser/' },
      to: { path: '^src/pages/browser/' },
    },
    {
      name: 'snapshots-are-account-as-code',
      comment: 'The service plans and applies snapshots as the command line does files, but has no files and no undo.',
      severity: 'error',
      from: { path: '^src/service/areas/snapshots/' },
      to: { path: '^src/', pathNot: '^src/(service|contract)/|^src/account-as-code/(?!(files|undo)/)' },
    },
    {
      name: 'account-as-code-needs-the-contract-only',
      comment: 'Who calls the interface is passed in, so that it works on every service, and on either side of the interface.',
      severity: 'error',
      from: { path: '^src/account-as-code/' },
      to: { path: '^src/', pathNot: '^src/(account-as-code|contract)/' },
    },
    {
      name: 'planning-needs-no-files-and-no-runs',
      comment: 'Kinds, planning and comparison also run where there are no folders and no journals, as in the service.',
      severity: 'error',
      from: { path: '^src/account-as-code/', pathNot: '^src/account-as-code/(files|run|undo)/' },
      to: {
        pathNot: '^src/account-as-code/((kinds|plan|planner)/|[^/]+$)|^src/contract/|node_modules/(zod|diff)/|^(node:)?(crypto|path)$',
      },
    },
    {
      name: 'workbook-stands-alone',
      comment: 'The command line imports workbooks, and the service reads them.',
      severity: 'error',
      from: { path: '^src/workbook/' },
      to: { path: '^src/', pathNot: '^src/workbook/' },
    },
    {
      name: 'processes-stands-alone',
      comment: 'Locks of the command line and leases of the service are taken over from processes that have ended.',
      severity: 'error',
      from: { path: '^src/processes/' },
      to: { path: '^src/', pathNot: '^src/processes/' },
    },
    {
      name: 'testing-starts-the-service',
      comment: 'It is an entry of the package, for the tests of users.',
      severity: 'error',
      from: { path: '^src/testing/' },
      to: { path: '^src/', pathNot: '^src/(testing|service|contract)/|^src/version[.]ts$' },
    },
    {
      name: 'nothing-imports-testing',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'documents-are-read-elsewhere',
      comment: 'What reads documents runs in a process of its own. The service starts it, and shares its types only.',
      severity: 'error',
      from: { path: '^src/service/', pathNot: '^src/service/areas/kb/reading/' },
      to: { path: '^src/service/areas/kb/reading/', pathNot: '/(reader|document)[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'cli-loads-the-service-on-demand',
      comment: 'A remote command never loads the service. The in-process transport is loaded with it.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/connection/in-process-transport[.]ts$' },
      to: { path: '^src/service/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'only-serve-and-the-target-load-the-service',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/(connection/(embedded-service|in-process-transport)|nouns/serve(/place)?)[.]ts$' },
      to: { path: '^src/service/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nouns-stand-apart',
      comment: 'A command loads the code of one noun, so a noun imports only its own folder.',
      severity: 'error',
      from: { path: '^src/cli/nouns/([^/.]+)' },
      to: { path: '^src/cli/nouns/', pathNot: '^src/cli/nouns/$1([.]ts$|/)' },
    },
    {
      name: 'machinery-knows-no-area',
      severity: 'error',
      from: { path: machinery },
      to: { path: '^src/(service|contract)/areas/|^src/service/[^/]*[.]ts$', pathNot: '^src/service/(errors|parts)[.]ts$' },
    },
    {
      name: 'store-is-the-lowest',
      severity: 'error',
      from: { path: '^src/service/store/' },
      to: { path: '^src/service/', pathNot: '^src/service/(store/|flow/|errors[.]ts$)' },
    },
    {
      name: 'migrations-are-frozen',
      comment: 'A migration never changes once it is on main, so it depends on nothing that changes.',
      severity: 'error',
      from: { path: '^src/service/migrations/' },
      to: { path: '^src/', pathNot: '^src/service/(migrations/|store/migration[.]ts$)' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '^src/pages/browser/[a-z]+/main[.]tsx?$' },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      comment: 'The bundle contains every library, also a development dependency. package.json must name those that the source imports.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
