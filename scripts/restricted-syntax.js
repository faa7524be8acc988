/** Reports the nodes of the syntax tree that match a selector. */
const restrictedSyntax = {
  meta: { schema: { type: 'array', items: { type: 'object' } } },
  create: (context) =>
    Object.fromEntries(context.options.map(({ selector, message }) => [selector, (node) => context.report({ node, message })])),
};

export default { meta: { name: 'project' }, rules: { 'restricted-syntax': restrictedSyntax } };
