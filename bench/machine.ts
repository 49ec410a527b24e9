import { readFile } from 'node:fs/promises'

/** Returns the time in milliseconds since the Unix epoch, with a fraction; the same clock in every process. */
export const now = (): number => performance.timeOrigin + performance.now()

/** Resolves after `ms` milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Linux counts the CPU time of a process in hundredths of a second. */
const TICK_MS = 10

/** Memory and CPU time of another process so far. Linux only. */
export interface ProcessUsage {
  readonly residentBytes: number
  readonly cpuMs: number
}

/** Reads the memory and CPU time of a process. @see proc_pid_stat(5): fields 14 (utime) and 15 (stime); proc_pid_status(5): VmRSS */
export async function readProcessUsage(pid: number): Promise<ProcessUsage> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // from field 3 on; the name before may hold spaces
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  return { residentBytes: kibibytes * 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }
}
