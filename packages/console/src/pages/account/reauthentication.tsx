import { type Flow, getPasskey } from '@gatepost/auth/client'
import { createContext, type ReactNode, type RefObject, use, useCallback, useEffect, useRef, useState } from 'react'
import { accountClient, onReauthenticationRequired, type Reauthenticate } from '../../api/client.ts'
import { useSignOut } from '../../frame/use-sign-out.ts'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Row } from '../../parts/layout.tsx'
import { notifyFailure } from '../../parts/toast.tsx'
import { type AccountAction, ActionForm, fieldError, useAccountAction, useProblemMessage } from './account-action.tsx'
import {
  callAccountApi,
  ConfirmationCanceled,
  InputRejected,
  ReauthenticationRequired,
  requestPasskey,
} from './account-api.ts'

interface PendingReauthentication {
  readonly flows: readonly Flow[]
  readonly answer: Promise<boolean>
  settle(isConfirmed: boolean): void
}

/** Provides the reauthentication dialog to its children. Simultaneous requests share one dialog. */
export function ReauthenticationProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<PendingReauthentication | null>(null)
  const open = useRef<PendingReauthentication>(null)
  const reauthenticate = useCallback<Reauthenticate>((flows) => {
    if (open.current !== null) return open.current.answer
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const settle = (isConfirmed: boolean): void => {
      open.current = null
      setQuestion(null)
      resolve(isConfirmed)
    }
    open.current = { flows, answer: promise, settle }
    setQuestion(open.current)
    return promise
  }, [])
  useEffect(() => onReauthenticationRequired(reauthenticate), [reauthenticate])
  return (
    <ReauthenticationContext value={reauthenticate}>
      {children}
      {question !== null && <ReauthenticationDialog {...question} />}
    </ReauthenticationContext>
  )
}

function ReauthenticationDialog({ flows, settle }: PendingReauthentication): ReactNode {
  const texts = useTexts(reauthenticationTexts)
  const signOut = useSignOut()
  const first = useRef<HTMLInputElement>(null)
  const ways = listMethods(flows)
  const [chosen, choose] = useState<ReauthenticationMethod>()
  const way = chosen ?? ways[0]
  return (
    <Dialog open title={texts.title} lead={texts.lead} initialFocus={first} onClose={() => settle(false)}>
      {way === undefined ? (
        <>
          <p>{texts.noWay}</p>
          <DialogActions>
            <Button kind="primary" onClick={signOut}>
              {texts.signInAgain}
            </Button>
          </DialogActions>
        </>
      ) : (
        <MethodForm key={way} way={way} first={first} onConfirmed={() => settle(true)} />
      )}
      {ways.length > 1 && (
        <Row>
          {ways
            .filter((other) => other !== way)
            .map((other) => (
              <Button key={other} kind="quiet" small onClick={() => choose(other)}>
                {texts.other[other]}
              </Button>
            ))}
        </Row>
      )}
    </Dialog>
  )
}

/** Texts of the reauthentication dialog. */
const reauthenticationTexts = defineTexts({
  en: {
    title: "Confirm it's you",
    lead: 'This protects your account if someone else uses your device. Your action continues after you confirm.',
    password: 'Password',
    code: 'Authenticator code or recovery code',
    confirm: 'Confirm',
    passkeyLead: 'Your browser will ask for your passkey or security key.',
    usePasskey: 'Use passkey',
    other: { password: 'Use password instead', code: 'Use a code instead', passkey: 'Use a passkey instead' },
    noWay: "You can't confirm your identity with this session. Sign in again, then come back.",
    signInAgain: 'Sign in again',
  },
  zh: {
    title: '身份验证',
    lead: '为保护您的账号，请先验证身份，验证后会继续刚才的操作。',
    password: '密码',
    code: '身份验证器验证码或恢复码',
    confirm: '确认',
    passkeyLead: '浏览器将提示您使用通行密钥或安全密钥。',
    usePasskey: '使用通行密钥',
    other: { password: '改用密码', code: '改用验证码', passkey: '改用通行密钥' },
    noWay: '当前会话无法验证身份，请重新登录后再操作。',
    signInAgain: '重新登录',
  },
})

const ReauthenticationContext = createContext<Reauthenticate | null>(null)

/** Returns the function that opens the page's reauthentication dialog. */
export function useReauthenticate(): Reauthenticate {
  const reauthenticate = use(ReauthenticationContext)
  if (reauthenticate === null) throw new Error('useReauthenticate must be used inside ReauthenticationProvider.')
  return reauthenticate
}

/**
 * Returns a function that runs `work`, and repeats it after reauthentication whenever the service requires that.
 * @throws {ConfirmationCanceled} when the person cancels
 */
function useWithReauthentication(): (work: () => Promise<void>) => Promise<void> {
  const reauthenticate = useReauthenticate()
  return useCallback(
    async (work) => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof ReauthenticationRequired)) throw error
          if (!(await reauthenticate(error.flows))) throw new ConfirmationCanceled()
        }
      }
    },
    [reauthenticate],
  )
}

/** A method of reauthentication. */
export type ReauthenticationMethod = 'password' | 'code' | 'passkey'

/** Returns the methods the service offers, the quickest first. Unknown ones are left out. */
export function listMethods(flows: readonly Flow[]): readonly ReauthenticationMethod[] {
  const ways = flows.flatMap((flow): readonly ReauthenticationMethod[] => {
    if (flow.id === 'reauthenticate') return ['password']
    if (flow.id !== 'mfa_reauthenticate') return []
    return flow.types.map((type) => (type === 'webauthn' ? 'passkey' : 'code'))
  })
  return (['password', 'passkey', 'code'] as const).filter((way) => ways.includes(way))
}

/** Reauthenticates with one method. @throws {InputRejected} @throws {ApiError} */
async function reauthenticateBy(way: ReauthenticationMethod, typed: string): Promise<void> {
  try {
    if (way === 'password') await callAccountApi(() => accountClient().reauthenticate({ password: typed }))
    else if (way === 'code') await callAccountApi(() => accountClient().reauthenticateByCode({ code: typed }))
    else {
      const { data } = await callAccountApi(() => accountClient().getWebauthnReauthentication())
      const credential = await requestPasskey(() => getPasskey(data.request_options))
      await callAccountApi(() => accountClient().reauthenticateByWebauthn({ credential }))
    }
  } catch (error) {
    // the service may ask for another method instead: for this one it's a failure
    if (error instanceof ReauthenticationRequired) throw new InputRejected([{ code: 'incorrect_code', message: '' }])
    throw error
  }
}

/** The form of one reauthentication method. */
function MethodForm({
  way,
  first,
  onConfirmed,
}: {
  readonly way: ReauthenticationMethod
  readonly first: RefObject<HTMLInputElement | null>
  onConfirmed(): void
}): ReactNode {
  const texts = useTexts(reauthenticationTexts)
  const [typed, setTyped] = useState('')
  const { run, isBusy, problem } = useAccountAction(async () => {
    await reauthenticateBy(way, typed)
    onConfirmed()
  })
  return (
    <ActionForm problem={problem} fields={way === 'passkey' ? [] : [way]} onSubmit={() => run()}>
      {way === 'passkey' ? (
        <p>{texts.passkeyLead}</p>
      ) : (
        <TextField
          key={way}
          ref={first}
          label={texts[way]}
          type={way === 'password' ? 'password' : 'text'}
          autoComplete={way === 'password' ? 'current-password' : 'one-time-code'}
          inputMode={way === 'code' ? 'numeric' : 'text'}
          value={typed}
          onChange={setTyped}
          error={fieldError(problem, way)}
        />
      )}
      <DialogActions>
        <Button kind="primary" type="submit" busy={isBusy}>
          {way === 'passkey' ? texts.usePasskey : texts.confirm}
        </Button>
      </DialogActions>
    </ActionForm>
  )
}

/**
 * Returns an action for which the service may require reauthentication, after which it runs again from the start.
 * Callers show its problem next to it.
 */
export function useConfirmedAction<I = void>(work: (input: I) => Promise<void>): AccountAction<I> {
  const withReauthentication = useWithReauthentication()
  return useAccountAction<I>((input) => withReauthentication(() => work(input)))
}

/** Like `useConfirmedAction`, but shows the problem as a notification, for buttons without room for it. */
export function useNotifiedAction<I = void>(work: (input: I) => Promise<void>): AccountAction<I> {
  const withReauthentication = useWithReauthentication()
  const formatProblem = useProblemMessage()
  return useAccountAction<I>(
    (input) => withReauthentication(() => work(input)),
    (problem) => notifyFailure(formatProblem(problem)),
  )
}
