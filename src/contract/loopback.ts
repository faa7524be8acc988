const octet = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';

const loopback = new RegExp(`^(localhost|127(\\.${octet}){3}|::1|\\[::1\\])$`, 'i');

/** Whether a host name or IP address, with or without IPv6 brackets, refers to this machine's loopback interface. */
export function isLoopbackHost(host: string): boolean {
  return loopback.test(host);
}
