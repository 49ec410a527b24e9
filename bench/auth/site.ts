import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { populate, type Population } from './people.ts'
import { type Server, type ServerOptions, startServer } from './server-process.ts'

/** A database with people in it, for servers of both kinds. */
export interface Site {
  readonly population: Population
  /** @param profile Folder for a processor profile. */
  start(kind: 'floor' | 'auth', profile?: string | null): Promise<Server>
  remove(): Promise<void>
}

export async function siteWith(population: Population): Promise<Site> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-auth-'))
  const file = path.join(folder, 'auth.db')
  const cache = path.join(folder, 'compile-cache')
  await populate(file, population)
  return {
    population,
    start: (kind, profile = null) => startServer(kind, file, { cache, profile } satisfies ServerOptions),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
