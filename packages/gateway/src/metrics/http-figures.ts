import { histogramSamples, type Metric } from './exposition.ts'

/** Counts the requests of the process by route and status. */
export interface HttpFigures {
  /** `routeId` is one of a fixed set, never a path: the number of series stays bounded. */
  count(routeId: string, status: number, tookMs: number): void
  metrics(): readonly Metric[]
}

const BOUNDS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 30_000]

export function httpFigures(): HttpFigures {
  const requests = new Map<string, { readonly route: string; readonly status: string; value: number }>()
  const took = { bounds: BOUNDS_MS, counts: BOUNDS_MS.map(() => 0), sum: 0, count: 0 }
  return {
    count: (route, status, tookMs) => {
      const key = `${route} ${status}`
      const entry = requests.get(key) ?? { route, status: String(status), value: 0 }
      entry.value += 1
      requests.set(key, entry)
      took.sum += tookMs
      took.count += 1
      for (const [index, bound] of BOUNDS_MS.entries())
        if (tookMs <= bound) took.counts[index] = (took.counts[index] ?? 0) + 1
    },
    metrics: () => [
      {
        name: 'gatepost_http_requests_total',
        help: 'Requests answered.',
        type: 'counter',
        samples: [...requests.values()].map(({ route, status, value }) => ({ labels: { route, status }, value })),
      },
      {
        name: 'gatepost_http_request_duration_seconds',
        help: 'Time from the arrival of a request to the head of its answer.',
        type: 'histogram',
        samples: histogramSamples(took, 0.001),
      },
    ],
  }
}
