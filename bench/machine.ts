/** Milliseconds since the Unix epoch with their fraction; every process of this machine reads the same clock. */
export const now = (): number => performance.timeOrigin + performance.now()

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
