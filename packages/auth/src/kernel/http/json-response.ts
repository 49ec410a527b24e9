import { ownResponse } from './own-response.ts'

/** A JSON answer; members that are `undefined` are left out. */
export const jsonResponse = (value: unknown, status: number): Response =>
  ownResponse(JSON.stringify(value), { status, headers: { 'content-type': 'application/json; charset=utf-8' } })
