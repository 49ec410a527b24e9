import { defineTexts } from '../../../language/texts.ts'

/** Texts of the profile. */
export const profileTexts = defineTexts({
  en: {
    title: 'Profile',
    name: 'Name',
    email: 'Email',
    username: 'Username',
    account: 'Account ID',
    role: 'Role',
    staff: 'Staff',
    member: 'Member',
    factors: 'Two-factor authentication',
    noFactors: 'Not set up',
    factor: { totp: 'Authenticator app', webauthn: 'Passkey or security key', recovery_codes: 'Recovery codes' },
    may: 'Permissions',
    scopes: {
      'channels:read': 'View your channels and conversations',
      'channels:write': 'Set up, enable, and disable your channels',
      'channels:send': 'Send messages on your channels',
      account: 'Manage your account and personal access tokens',
      admin: 'Manage all accounts as staff',
    },
    setUp: 'Set up',
  },
  zh: {
    title: '个人资料',
    name: '姓名',
    email: '邮箱',
    username: '用户名',
    account: '账号 ID',
    role: '角色',
    staff: '管理员',
    member: '普通成员',
    factors: '两步验证',
    noFactors: '尚未设置',
    factor: { totp: '身份验证器', webauthn: '通行密钥或安全密钥', recovery_codes: '恢复码' },
    may: '权限',
    scopes: {
      'channels:read': '查看您的渠道和会话',
      'channels:write': '设置、启用和停用您的渠道',
      'channels:send': '通过您的渠道发送消息',
      account: '管理您的账号和个人访问令牌',
      admin: '以管理员身份管理所有账号',
    },
    setUp: '去设置',
  },
})
