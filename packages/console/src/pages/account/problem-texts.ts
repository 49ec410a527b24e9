import { defineTexts } from '../../language/texts.ts'

/** Messages for problems that the service doesn't know or words differently. */
export const problemTexts = defineTexts({
  en: {
    wait: (span: string) => `Too many attempts. Try again in ${span}.`,
    once: 'Too many attempts. Wait a moment and try again.',
    codes: {
      step_over: 'This step has expired or was already completed. Start over.',
      incorrect_code: 'That didn’t work. Try again.',
      mail_not_sent: 'We sent an email a moment ago. Check your spam folder, or try again in three minutes.',
      no_more_codes:
        'We can’t send more codes to this address. Check your spam folder, or remove the address and add it again.',
      unverified_email: 'Verify all your email addresses first, then set this up.',
      add_email_blocked:
        'You can’t add an email address while two-factor authentication is on. Turn it off, add the address, then turn it on again.',
      cannot_delete_authenticator:
        'Staff must use two-factor authentication and this is your only method. Set up another one first.',
      passkey_given_up: 'The request was canceled or timed out. Try again.',
      passkey_known: 'This device or security key is already registered.',
      passkey_wrong_host: 'The browser doesn’t allow passkeys at this address.',
      passkey_unsupported: 'This browser or device doesn’t support passkeys.',
      passkey_failed: 'The browser couldn’t create a passkey. Try a different browser or device.',
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
