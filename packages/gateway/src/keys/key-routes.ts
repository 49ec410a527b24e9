import { answers, type GatewayRoute, ok, serviceRoute } from '../server/gateway-route.ts'
import type { KeyRotation } from './key-rotation.ts'
import type { RotationRecord } from './key-rotation.sql.ts'
import { z } from 'zod'

const rotationShape = z
  .strictObject({
    state: z.enum(['none', 'running', 'done', 'failed']).describe('none: never started'),
    total: z.int().describe('Rows when it started'),
    seen: z.int().describe('Rows processed. New rows can make it exceed the total'),
    resealed: z.int().describe('Rows that were encrypted with an older key'),
    unreadable: z.int().describe('Rows that no key can decrypt. They are left unchanged'),
    changed_at: z.int().nullable().describe('Time of the latest progress; null: never started'),
  })
  .meta({ id: 'KeyRotation', description: 'The latest rotation of the secret keys' })

const toRotationBody = (record: RotationRecord | null): z.input<typeof rotationShape> => ({
  state: record?.state ?? 'none',
  total: record?.total ?? 0,
  seen: record?.seen ?? 0,
  resealed: record?.resealed ?? 0,
  unreadable: record?.unreadable ?? 0,
  changed_at: record?.changedAtMs ?? null,
})

/** Routes below `/api/keys`. */
export const keyRoutes = (rotation: KeyRotation): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'GET',
    path: '/api/keys/rotation',
    id: 'getKeyRotation',
    scope: 'admin',
    summary: 'Progress of the latest rotation of the secret keys',
    answers: answers('The latest rotation', rotationShape),
    errors: [],
    handle: async () => ok(toRotationBody(await rotation.read())),
  }),
  serviceRoute({
    method: 'POST',
    path: '/api/keys/rotation',
    id: 'rotateKeys',
    scope: 'admin',
    summary: 'Encrypt all stored secrets with the newest secret key, in the background',
    answers: answers('The rotation, which is running', rotationShape),
    errors: [],
    handle: async () => ok(toRotationBody(await rotation.start())),
  }),
]
