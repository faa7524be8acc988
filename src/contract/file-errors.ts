/** What is wrong with a file, by the code of the operating system or of Node. */
const descriptions: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a directory',
  EEXIST: 'it exists',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EFBIG: 'it is larger than this disk allows',
  EIO: 'the disk cannot be read or written',
  EMFILE: 'too many files are open: `ulimit -n` says how many may be',
  ENFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links lead in a circle',
  EBUSY: 'another program uses it',
  ENOTEMPTY: 'the folder is not empty',
  ENXIO: 'it is a pipe or a device that nothing is behind',
  EPIPE: 'nobody reads it any longer',
  ERR_INVALID_ARG_VALUE: 'its name has a character that no name can have',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB',
};

const whenRead: Readonly<Record<string, string>> = {
  ...descriptions,
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

/** Windows says the same of a file that another program has open. */
const notWritable = process.platform === 'win32' ? 'another program uses it, or you may not write there' : 'you may not write there';

const whenWritten: Readonly<Record<string, string>> = {
  ...descriptions,
  ENOENT: 'there is no such folder',
  EACCES: notWritable,
  EPERM: notWritable,
};

/** Why a file could not be read, as a phrase that can follow a colon. */
export function describeReadError(error: unknown): string {
  return describe(error, whenRead);
}

/** Why a file or folder could not be written or created, as a phrase that can follow a colon. */
export function describeWriteError(error: unknown): string {
  return describe(error, whenWritten);
}

/** An error of our own has a phrase as its message. Node's has not: `ENOENT: no such file or directory, open '/x'`. */
function describe(error: unknown, texts: Readonly<Record<string, string>>): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return texts[code] ?? (/^E[A-Z]/.test(code) ? `the system reports ${code}` : message);
}
