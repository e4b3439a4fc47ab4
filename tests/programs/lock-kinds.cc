/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-kinds.cc LIBRARY - what C++20 has of locks, each taken by four threads,
 * also before main() and behind it, and in a library that comes and goes.
 */
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <dlfcn.h>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

template <typename F> static void in_threads(F f)
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(f, i);
	for (auto &t : threads)
		t.join();
}

template <typename M> static long guarded(M &m)
{
	long sum = 0;
	in_threads([&](int) {
		for (int i = 0; i < 2000; i++) {
			std::lock_guard<M> guard(m);
			sum++;
		}
	});
	return sum;
}

/* Somebody waits for it, however few cores there are. */
static long waited_for()
{
	std::mutex m;
	std::atomic<bool> ready = false;
	std::unique_lock<std::mutex> lock(m);
	long sum = 0;
	std::thread other([&] {
		ready = true;
		std::lock_guard<std::mutex> guard(m);
		sum++;
	});
	while (!ready)
		std::this_thread::yield();
	std::this_thread::sleep_for(50ms);
	sum++;
	lock.unlock();
	other.join();
	return sum;
}

template <typename M> static long tried(M &m)
{
	long sum = 0;
	in_threads([&](int) {
		for (int i = 0; i < 500; i++) {
			std::unique_lock<M> lock(m, 10s);
			sum += lock.owns_lock();
		}
	});
	return sum;
}

template <typename M> static long shared(M &m)
{
	long sum = 0, torn = 0;
	in_threads([&](int number) {
		for (int i = 0; i < 1000; i++) {
			if (number) {
				std::shared_lock<M> lock(m);
				if (sum % 2)
					__atomic_fetch_add(&torn, 1,
							   __ATOMIC_RELAXED);
			} else {
				std::unique_lock<M> lock(m);
				sum++;
				sum++;
			}
		}
	});
	return sum + torn * 1000000;
}

static long queued()
{
	std::mutex m;
	std::condition_variable some;
	std::condition_variable_any any;
	std::counting_semaphore<8> room(8);
	std::barrier together(4);
	std::latch all(4);
	long waiting = 0, sum = 0;

	in_threads([&](int number) {
		for (int i = 0; i < 300; i++) {
			room.acquire();
			{
				std::lock_guard<std::mutex> guard(m);
				waiting++;
			}
			some.notify_one();
			{
				std::unique_lock<std::mutex> lock(m);
				some.wait(lock, [&] { return waiting > 0; });
				waiting--;
				sum++;
			}
			room.release();
			together.arrive_and_wait();
		}
		std::unique_lock<std::mutex> lock(m);
		any.wait_for(lock, 1ms, [&] { return number < 0; });
		all.count_down();
	});
	all.wait();
	std::jthread stopped([&](std::stop_token stop) {
		std::unique_lock<std::mutex> lock(m);
		any.wait(lock, stop, [] { return false; });
	});
	stopped.request_stop();
	return sum;
}

static long once()
{
	static std::once_flag flag;
	static long calls;
	in_threads([&](int) { std::call_once(flag, [] { calls++; }); });
	return calls;
}

static std::recursive_mutex early;
static struct around {
	long sum;
	around() : sum(guarded(early))
	{
	}
	~around()
	{
		printf("behind main: %ld\n", guarded(early));
	}
} around;

static long come_and_go(const char *library)
{
	long sum = 0;
	for (int i = 0; i < 20; i++) {
		void *handle = dlopen(library, RTLD_NOW);
		auto work = (long (*)())dlsym(handle, "work");
		sum += work();
		dlclose(handle);
	}
	return sum;
}

int main(int, char **argv)
{
	std::mutex m;
	std::timed_mutex timed;
	std::recursive_mutex again;
	std::recursive_timed_mutex timed_again;
	std::shared_mutex table;
	std::shared_timed_mutex timed_table;

	printf("before main: %ld\n", around.sum);
	printf("waited for %ld\n", waited_for());
	printf("mutex %ld timed %ld recursive %ld both %ld\n", guarded(m),
	       guarded(timed), guarded(again), guarded(timed_again));
	printf("tried %ld %ld\n", tried(timed), tried(timed_again));
	printf("shared %ld %ld\n", shared(table), shared(timed_table));
	printf("queued %ld once %ld\n", queued(), once());
	printf("come and go %ld\n", come_and_go(argv[1]));
}
