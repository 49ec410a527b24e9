import { useMutation } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useCallback, useEffect, useRef } from 'react'
import { ApiError } from '../../api/client.ts'
import { useRunOnce } from '../../api/queries.ts'
import { errorMessage } from '../../language/errors.ts'
import { type Format, useFormat } from '../../language/format.ts'
import { defineTexts, type Language, textsIn, useLanguage } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { focusFirstInvalid } from '../../parts/field.tsx'
import { ConfirmationCanceled, InputRejected } from './account-api.ts'
import style from './account.module.css'

/** An action on the account. */
export interface AccountAction<I> {
  run(input: I): void
  readonly isBusy: boolean
  /** Why it failed; `null` if it didn't. */
  readonly problem: unknown
  /** Clears the problem. */
  clear(): void
}

/** Returns an action whose result isn't cached. @param failed Called with every problem. */
export function useAccountAction<I = void>(
  work: (input: I) => Promise<void>,
  failed?: (problem: unknown) => void,
): AccountAction<I> {
  const once = useRunOnce()
  const { mutate, isPending, error, reset } = useMutation<void, unknown, I>({
    mutationFn: (input) => once(input, () => work(input)),
    gcTime: 0,
    onError: (problem) => problem instanceof ConfirmationCanceled || failed?.(problem),
  })
  return { run: mutate, isBusy: isPending, problem: error instanceof ConfirmationCanceled ? null : error, clear: reset }
}

/** Messages for problems that the service doesn't know or words differently. */
const problemTexts = defineTexts({
  en: {
    wait: (span: string) => `Too many attempts. Try again in ${span}.`,
    once: 'Too many attempts. Wait a moment and try again.',
    codes: {
      step_over: 'This step has expired or was already completed. Start over.',
      incorrect_code: "That didn't work. Try again.",
      mail_not_sent: 'We sent an email a moment ago. Check your spam folder, or try again in three minutes.',
      no_more_codes:
        "We can't send more codes to this address. Check your spam folder, or remove the address and add it again.",
      unverified_email: 'Verify all your email addresses first, then set this up.',
      add_email_blocked:
        "You can't add an email address while two-factor authentication is on. Turn it off, add the address, then turn it on again.",
      cannot_delete_authenticator:
        'Staff must use two-factor authentication and this is your only method. Set up another one first.',
      passkey_given_up: 'The request was canceled or timed out. Try again.',
      passkey_known: 'This device or security key is already registered.',
      passkey_wrong_host: "The browser doesn't allow passkeys at this address.",
      passkey_unsupported: "This browser or device doesn't support passkeys.",
      passkey_failed: "The browser couldn't create a passkey. Try a different browser or device.",
    },
  },
  zh: {
    wait: (span) => `操作过于频繁，请在 ${span}后重试。`,
    once: '操作过于频繁，请稍后再试。',
    codes: {
      step_over: '此步骤已过期或已完成，请重新开始。',
      incorrect_code: '验证失败，请重试。',
      mail_not_sent: '刚刚已发送过邮件，请检查垃圾邮件，或三分钟后重试。',
      no_more_codes: '无法再向此邮箱发送验证码。请检查垃圾邮件，或移除该邮箱后重新添加。',
      unverified_email: '请先验证所有邮箱，再进行设置。',
      add_email_blocked: '启用两步验证期间无法添加邮箱。请先停用两步验证，添加后再重新启用。',
      cannot_delete_authenticator: '管理员必须启用两步验证，这是您唯一的验证方式，请先设置另一种。',
      passkey_given_up: '操作已取消或超时，请重试。',
      passkey_known: '该设备或安全密钥已添加。',
      passkey_wrong_host: '浏览器不允许在此地址使用通行密钥。',
      passkey_unsupported: '此浏览器或设备不支持通行密钥。',
      passkey_failed: '浏览器无法创建通行密钥，请更换浏览器或设备。',
    },
  },
})

/** Returns the service's message about one field, in the page's language; `null` if there is none. */
export function fieldError(problem: unknown, param: string): string | null {
  if (!(problem instanceof InputRejected)) return null
  const own = problem.refusals.filter((refusal) => refusal.param === param)
  return own.length === 0 ? null : own.map(({ message }) => message).join(' ')
}

/** Returns the messages that aren't about one of `fields`. */
export function problemMessages(
  problem: unknown,
  fields: readonly string[],
  { language, format }: { readonly language: Language; readonly format: Pick<Format, 'span'> },
): readonly string[] {
  const { codes, wait, once } = textsIn(problemTexts, language)
  if (problem instanceof InputRejected) {
    const known: Readonly<Record<string, string | undefined>> = codes
    return problem.refusals
      .filter(({ param }) => param === undefined || !fields.includes(param))
      .map(({ code, message }) => known[code] ?? message)
  }
  if (problem instanceof ApiError && problem.code === 'rate_limited') {
    return [problem.retryAfter === null ? once : wait(format.span(Math.max(1, problem.retryAfter) * 1_000))]
  }
  return [errorMessage(problem, language)]
}

/** Returns a function that formats a problem as one text. */
export function useProblemMessage(): (problem: unknown) => string {
  const { language } = useLanguage()
  const format = useFormat()
  return useCallback((problem) => problemMessages(problem, [], { language, format }).join(' '), [language, format])
}

/** Shows the messages that aren't about one of `fields`. */
export function ProblemNotice({
  problem,
  fields = [],
}: {
  readonly problem: unknown
  readonly fields?: readonly string[]
}): ReactNode {
  const { language } = useLanguage()
  const format = useFormat()
  const messages = problem === null ? [] : problemMessages(problem, fields, { language, format })
  if (messages.length === 0) return null
  return (
    <Notice tone="bad" alert>
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </Notice>
  )
}

/** A form that shows its problem and focuses the first invalid field. */
export function ActionForm({
  problem,
  fields,
  onSubmit,
  children,
}: {
  readonly problem: unknown
  /** Fields that show their own errors. */
  readonly fields: readonly string[]
  onSubmit(): void
  readonly children: ReactNode
}): ReactNode {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem !== null) focusFirstInvalid(form.current)
  }, [problem])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    // in React's tree, a form in a dialog is inside the form behind it
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form ref={form} className={style['form']} noValidate onSubmit={submit}>
      {children}
      <ProblemNotice problem={problem} fields={fields} />
    </form>
  )
}
