import type { CliError } from '../errors.ts';

/**
 * A text about a command in the terms of tools: `--key-file` is the argument key_file, and `msgctl tags list` the tool tags_list.
 * @param tools the names of the tools that the assistant has
 */
export function inToolTerms(text: string, tools: ReadonlySet<string>): string {
  // Values stand in quotes, and stay as they are.
  return text
    .split(/('[^']*')/)
    .map((part, index) => (index % 2 === 1 ? part : partInToolTerms(part, tools)))
    .join('');
}

function partInToolTerms(text: string, tools: ReadonlySet<string>): string {
  return text
    .replaceAll(/`msgctl ([^`]*)`/g, (whole, command: string) => toolIn(command, tools) ?? whole)
    .replaceAll(/--([a-z][\w-]*)/g, (_whole, name: string) => name.replaceAll('-', '_'));
}

/** The tool of a command: the longest name that its words begin with. */
function toolIn(command: string, tools: ReadonlySet<string>): string | undefined {
  const words = command.split(' ').map((word) => word.replaceAll('-', '_'));
  for (let count = words.length; count > 0; count--) {
    const name = words.slice(0, count).join('_');
    if (tools.has(name)) return `the tool ${name}`;
  }
  return undefined;
}

/** What an assistant is told of an error: the message and what to do about it. */
export function failureText({ message, hintLines, requestId }: CliError, tools: ReadonlySet<string>): string {
  // The help of a command is not for assistants: the schema of the tool says it.
  const lines = [message, ...hintLines.filter((line) => !line.includes('--help'))].map((line) => inToolTerms(line, tools));
  return [...lines, ...(requestId === undefined ? [] : [`Request: ${requestId}`])].join('\n');
}
