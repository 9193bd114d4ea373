/** Tells whether a process id is in use. */

/** True when a process with this id runs; one that belongs to somebody else counts. */
export function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
