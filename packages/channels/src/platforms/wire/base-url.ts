import { z } from 'zod'

/** Another server than the platform's own, as a person configures it: without a trailing slash. */
export const baseUrl = z
  .string()
  .trim()
  .max(2_000)
  .transform((value) => value.replace(/\/+$/, ''))
  .refine(isPlainHttpUrl, { error: 'base_url must be an http or https URL without user, query and fragment.' })

function isPlainHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && !/[?#\s]/.test(value)
}
