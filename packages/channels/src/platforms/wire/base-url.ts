import { z } from 'zod'

/**
 * Another server than the platform's own, as a person configures it: without a trailing slash.
 * @param name Of the field, for the sentence that says what is wrong.
 * @param examples The end of that sentence.
 */
export const baseUrl = (name = 'base_url', examples = '') =>
  z
    .string({ error: `${name} must be a URL.` })
    .trim()
    .max(2_000)
    .transform((value) => value.replace(/\/+$/, ''))
    .refine(isPlainHttpUrl, {
      error: `${name} must be an http or https URL without user, query and fragment${examples}.`,
    })

function isPlainHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && !/[?#\s]/.test(value)
}
