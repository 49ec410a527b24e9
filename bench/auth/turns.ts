/** Of one turn. */
const TURN = 100

/** Processor time of each, in microseconds, of all threads; they take turns, so that the machine is the same for both. */
export async function costsOf(
  count: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<readonly [first: number, second: number]> {
  const turns = Math.ceil(count / TURN)
  const sums: [number, number] = [0, 0]
  for (let turn = 0; turn < turns; turn += 1) {
    sums[0] += await costOf(first)
    sums[1] += await costOf(second)
  }
  return [sums[0] / turns, sums[1] / turns]
}

async function costOf(check: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < TURN; at += 1) await check()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TURN
}
